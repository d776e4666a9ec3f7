/** Oldest supported major version of Node: `engines` in package.json. */
const NODE_MAJOR = 24;

// An older Node fails in the imports of the service, with an error that does not name the cause. Entry files import
// this file first.
if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR) {
  process.stderr.write(
    `capture-service needs Node ${NODE_MAJOR} or newer, but this is Node ${process.versions.node}.\n`,
  );
  process.exit(2); // the exit code of a wrong setting on the command line
}
