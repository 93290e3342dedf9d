/** How every request of Tidings names its sender, to receivers and to the API. */

import packageJson from '../../package.json' with { type: 'json' };

/** A bundle has it as a constant, and leaves out the rest of the file. */
const version = process.env.TIDINGS_BUNDLED_VERSION ?? packageJson.version;

export const USER_AGENT = `Tidings/${version}`;
