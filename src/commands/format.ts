import { printable } from '../printable.ts';

/** A duration as people read it: `12 ms`, `1.2 s`, `12 min 40 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Untrusted text for one line of a terminal: nothing that acts on it, no line breaks, at most `max` characters. */
export function oneLine(text: string, max: number): string {
  const flat = printable(text).replace(/\s+/g, ' ').trim();
  const characters = [...flat];
  return characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`;
}

/** Any value with every string in it made printable; for JSON that ends up on terminals. */
export function printableValue(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(printableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [printable(key), printableValue(each)]),
  );
}
