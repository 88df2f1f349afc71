// Sets up a fresh clone, then runs a command under the project's own Node. Needs nothing but Node and npm:
//
//   node scripts/setup.mjs [--sample] [--tests] [run SCRIPT ARGUMENT…]
//
// --sample also wants what the bundled sample needs, --tests what the tests need. Without `run` it only sets up.
// This file has no imports and no new syntax, so that an old Node gets as far as the message.

const MINIMUM = 20;
const major = Number(process.versions.node.split('.')[0]);

if (major < MINIMUM) {
  process.stderr.write(
    `Tadpole needs Node ${MINIMUM} or newer to set itself up; this is Node ${process.versions.node}. ` +
      'Install a newer one (https://nodejs.org), then run the command again.\n',
  );
  process.exit(1);
}

void import('./setup/main.mjs').then(({ main }) => main(process.argv.slice(2)));
