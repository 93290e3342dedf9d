import module from 'node:module';

// Preloaded before any TypeScript: an older Node would fail on the first `.ts` file with a cryptic error.
// Plain JavaScript, so that every Node version can run it.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `tidings needs Node 24 or newer, this is ${process.versions.node} (${process.execPath}).\n` +
      'npm installs a Node 24 beside the project: run `npm ci` without --ignore-scripts, then `npm start` or `npm run tidings`.\n',
  );
  process.exit(2);
}

// Caches compiled sources in the system's temporary folder, which halves the start-up time of commands.
module.enableCompileCache?.();
