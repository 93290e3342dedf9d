import { awsPipeline } from '../e2e/aws-pipeline.ts';
import { startAwsWorld } from './world.ts';

awsPipeline('tables, stream, queues and secrets of the lane', startAwsWorld);
