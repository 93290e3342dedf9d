/** The CDK app: what `npx cdk synth` and `npx cdk deploy` read. */

import { App } from 'aws-cdk-lib';
import { TidingsStack } from '../lib/tidings-stack.ts';

new TidingsStack(new App(), 'Tidings', { description: 'Tidings: events for a work-management API that has none.' });
