/** A terminal that keeps what was written to it. */
export function createTerminal() {
  const kept = { out: '', err: '' };
  return {
    kept,
    out: (text: string) => {
      kept.out += text;
    },
    err: (text: string) => {
      kept.err += text;
    },
  };
}
