import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { nodeOf } from './dependencies.mjs';

/**
 * Runs a script under the project's Node with this process's terminal, and ends as it ends. Node is named by its path:
 * a shell that looked `node` up before the set-up still remembers the old one.
 */
export function runUnderNode(root, argv) {
  const node = nodeOf(root);
  const path = [dirname(node), process.env.PATH ?? ''].join(delimiter);
  const child = spawn(node, argv, { stdio: 'inherit', env: { ...process.env, PATH: path } });
  const passOn = (signal) => {
    // Ctrl-C reaches the whole foreground group by itself; a second one would mean "at once" to the child.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  for (const signal of signals) process.on(signal, passOn);
  child.on('error', (error) => {
    process.stderr.write(`${node} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    for (const each of signals) process.removeListener(each, passOn);
    // What a shell would say of a program that ended by a signal; a wrapper can't die of every signal itself.
    process.exitCode = signal ? 128 + constants.signals[signal] : code;
  });
}
