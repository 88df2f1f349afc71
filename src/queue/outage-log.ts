import type { Log } from '../log.ts';

/** One warning when the backend goes away and one line when it is back, whatever number of errors comes between. */
export interface OutageLog {
  failed(err: Error): void;
  worked(): void;
}

export function createOutageLog(log: Log): OutageLog {
  let away = false;
  return {
    failed(err) {
      log[away ? 'debug' : 'warn']({ err }, 'queue connection failed');
      away = true;
    },
    worked() {
      if (away) log.info('queue connection works again');
      away = false;
    },
  };
}
