import type { Fault } from '../../src/errors.ts';
import type { CheckRequest } from '../../src/forge/types.ts';
import type { ReportForge } from '../../src/run/report.ts';

export type Write = 'status_comment' | 'check' | 'label';

export interface IssueBoard extends ReportForge {
  /** Bodies by marker. */
  readonly comments: ReadonlyMap<string, string>;
  readonly labels: ReadonlySet<string>;
  readonly checks: readonly CheckRequest[];
  /** Next writes of this kind fail with this fault. */
  break(write: Write, fault: Fault): void;
}

/** What the report stage touches of a forge: the comments and labels of one issue, the checks of one repository. */
export function createIssueBoard(labels: readonly string[]): IssueBoard {
  const comments = new Map<string, string>();
  const present = new Set(labels);
  const checks: CheckRequest[] = [];
  const broken = new Map<Write, Fault>();
  const begin = (write: Write, signal: AbortSignal) => {
    signal.throwIfAborted();
    const fault = broken.get(write);
    if (fault) throw fault;
  };
  return {
    comments,
    labels: present,
    checks,
    break: (write, fault) => void broken.set(write, fault),
    async ensureComment(_ref, issue, { marker, body }, { signal }) {
      begin('status_comment', signal);
      comments.set(marker, body);
      return { webUrl: `https://git.corp/octo/pond/issues/${issue}#comment-${marker}` };
    },
    async ensureLabelRemoved(_ref, _issue, label, { signal }) {
      begin('label', signal);
      present.delete(label);
    },
    async ensureCheck(_ref, check, { signal }) {
      begin('check', signal);
      const at = checks.findIndex(({ name, commit }) => name === check.name && commit === check.commit);
      checks.splice(at === -1 ? checks.length : at, at === -1 ? 0 : 1, check);
    },
  };
}
