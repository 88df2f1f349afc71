/** What the program can do. Each resolves to the exit code; what it throws is the caller's to show. */
export interface Commands {
  start(): Promise<number>;
  serve(): Promise<number>;
  work(): Promise<number>;
  receive(fixture: string): Promise<number>;
  try(options: TryOptions): Promise<number>;
  runs(options: RunsOptions): Promise<number>;
  doctor(options: DoctorOptions): Promise<number>;
}

export interface TryOptions {
  /** End after the run instead of staying up; the exit code is 0 only if a draft was opened. */
  readonly once: boolean;
  readonly json: boolean;
  /** Null = the bundled sample. */
  readonly own: OwnRepository | null;
  /** Port of the local forge; 0 = any free one. */
  readonly port: number;
}

/** Somebody's own repository to be tried on; it is cloned, never written to. */
export interface OwnRepository {
  readonly path: string;
  /** Markdown file: its first heading is the issue's title, the rest the body. */
  readonly issueFile: string;
  readonly testCommand: string | null;
}

export interface RunsOptions {
  readonly limit: number;
  readonly json: boolean;
}

export interface DoctorOptions {
  readonly json: boolean;
}

/** Where a command's text goes: results to `out`, everything about them to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}
