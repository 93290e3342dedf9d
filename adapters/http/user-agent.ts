/** How every request of Tidings names its sender, to receivers and to the API. */

import packageJson from '../../package.json' with { type: 'json' };

export const USER_AGENT = `Tidings/${packageJson.version}`;
