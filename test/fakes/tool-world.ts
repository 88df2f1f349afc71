import { createTools } from '../../src/agent/tools/toolbox.ts';
import type { Sandbox } from '../../src/sandbox/types.ts';
import { never, openBubblewrap, sh, text } from './sandboxes.ts';

export interface ToolWorld {
  readonly sandbox: Sandbox;
  /** Calls a tool as the loop does. */
  use(name: string, args: Readonly<Record<string, unknown>>, remainingMs?: number): Promise<string>;
  put(path: string, content: string | Uint8Array): Promise<void>;
  get(path: string): Promise<Buffer>;
  /** Output of a shell command in the sandbox. */
  shell(command: string): Promise<string>;
  close(): Promise<void>;
}

/** The five tools over a real bubblewrap sandbox. */
export async function openToolWorld(): Promise<ToolWorld> {
  const world = await openBubblewrap();
  const sandbox = await world.create();
  const tools = createTools(sandbox);
  const absolute = (path: string) => (path.startsWith('/') ? path : `/workspace/${path}`);
  return {
    sandbox,
    async use(name, args, remainingMs = 600_000) {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return await tool.run(args, { signal: never(), remainingMs });
    },
    put: (path, content) => sandbox.put(absolute(path), Buffer.from(content), { signal: never() }),
    async get(path) {
      const bytes = await sandbox.get(absolute(path), { signal: never(), maxBytes: 64 * 1024 * 1024 });
      return Buffer.from(bytes ?? []);
    },
    shell: async (command) => text((await sh(sandbox, command)).stdout),
    close: world.close,
  };
}
