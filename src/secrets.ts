/**
 * The register of secrets: whoever mints or reads a credential registers it here at once, and everything that leaves
 * (logs, comments, drafts, transcripts, faults) passes through `redact`. Exact values, in the forms in which they leak.
 */

const MIN_LENGTH = 8;

export interface Secrets {
  /** Remembers a secret value until the process ends. Values under 8 characters are ignored: they would hit ordinary words. */
  register(value: string): void;
  /** The text with every registered secret replaced by `[secret]`, also in Base64, URL and JSON form. */
  redact(text: string): string;
}

/** The forms in which a secret shows up in text: raw, percent-encoded, JSON-escaped, hex, and Base64 at any alignment. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  // Inside longer Base64 text (such as an Authorization header) a value starts at one of three bit alignments;
  // the characters that also hold neighbouring bytes are cut away at both ends.
  const aligned = [1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift + 1, -1),
  );
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('hex'),
    base64.slice(0, -1),
    base64.slice(0, -1).replaceAll('+', '-').replaceAll('/', '_'),
    ...aligned,
  ];
}

/** A fresh, empty register. One is made by the composition root and passed down. */
export function createSecrets(): Secrets {
  const forms = new Set<string>();
  let ordered: string[] = [];
  return {
    register(value) {
      if (value.length < MIN_LENGTH || forms.has(value)) return;
      for (const form of formsOf(value)) if (form.length >= MIN_LENGTH) forms.add(form);
      ordered = [...forms].sort((a, b) => b.length - a.length);
    },
    redact(text) {
      let clean = text;
      for (const form of ordered) if (clean.includes(form)) clean = clean.replaceAll(form, '[secret]');
      return clean;
    },
  };
}
