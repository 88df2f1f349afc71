/** A control group that holds all processes of one sandbox. */
export interface ControlGroup {
  /** Puts a process, and all that it will start, in the group. */
  add(pid: number): void;
  /** How many processes the kernel has ended in this group for want of memory. */
  oomKills(): number;
  remove(): Promise<void>;
}
