/** Numbers and moments as people read them, the same in every text. */

/** `412,803` */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 test`, `214 tests`. */
export function formatCount(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Milliseconds as `180 ms`, `1.2 s`, `12 min 40 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toString()} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Whole minutes for progress: `12 min`; under one, `less than 1 min`. */
export function formatMinutes(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes === 0 ? 'less than 1 min' : `${minutes} min`;
}

/** An ISO 8601 moment as `2026-09-01 14:02:11 UTC`; what is no moment comes back as `at an unknown time`. */
export function formatMoment(iso: string): string {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return 'at an unknown time';
  return `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A commit id as people quote it. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}
