import module from 'node:module';

// Preloaded before any TypeScript is read: an older Node would die on the first `.ts` file with a riddle.
// Plain JavaScript, so that every Node can run it and say what is wrong.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `tidings needs Node 24 or newer, this is ${process.versions.node} (${process.execPath}).\n` +
      'npm installs a Node 24 beside the project: run `npm ci` without --ignore-scripts, then `npm start` or `npm run tidings`.\n',
  );
  process.exit(2);
}

// Keeps the compiled sources between runs, in the system's temporary folder: commands start in half the time.
module.enableCompileCache?.();
