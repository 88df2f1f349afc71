import type { Forge } from './forge/types.ts';
import type { Secrets } from './secrets.ts';

/**
 * A forge whose writes carry no registered secret: the last net before text leaves for people (T27). Branch names and
 * labels are ours or the forge's own and pass as they are.
 */
export function redactingForge(forge: Forge, { redact }: Pick<Secrets, 'redact'>): Forge {
  return {
    ...forge,
    ensureComment: (ref, issue, { marker, body }, options) =>
      forge.ensureComment(ref, issue, { marker, body: redact(body) }, options),
    ensureDraft: (ref, draft, options) =>
      forge.ensureDraft(ref, { ...draft, title: redact(draft.title), body: redact(draft.body) }, options),
    ensureCheck: (ref, check, options) =>
      forge.ensureCheck(
        ref,
        { ...check, title: redact(check.title), summary: redact(check.summary) },
        options,
      ),
  };
}
