import { type IQueueBackend, type Job, type JobJson, type JobProgress, Worker } from 'bullmq';

const KEPT_CHARACTERS = 4_096;

/**
 * A BullMQ worker that takes entries whose data is not even JSON. The original throws on them while it takes them, which
 * leaves them to stall and come back for ever; here they reach the processor as something that no schema accepts.
 */
export class TolerantWorker<B extends IQueueBackend, C> extends Worker<
  unknown,
  void,
  string,
  B,
  JobProgress,
  C
> {
  protected override createJob(data: JobJson, jobId: string): Job<unknown, void, string> {
    try {
      return super.createJob(data, jobId);
    } catch {
      const unreadable = String(data.data).slice(0, KEPT_CHARACTERS);
      return super.createJob({ ...data, data: JSON.stringify({ unreadable }) }, jobId);
    }
  }
}
