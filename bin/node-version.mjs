import module from 'node:module';

// Preloaded before any TypeScript: an older Node would fail on the first `.ts` file with a cryptic error.
// Plain JavaScript, so that every Node version can run it.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `tidings requires Node 24 or newer, but this is Node ${process.versions.node} (${process.execPath}).\n` +
      '`npm ci` installs Node 24 for this project (unless --ignore-scripts is set); `npm start` and `npm run tidings` then use it.\n',
  );
  process.exit(2);
}

// Caches compiled sources in the system's temporary folder, which halves the start-up time of commands.
module.enableCompileCache?.();
