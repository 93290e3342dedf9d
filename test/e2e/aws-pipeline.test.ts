import { startWorld } from '../functions/world.ts';
import { awsPipeline } from './aws-pipeline.ts';

awsPipeline('dynalite and fauxqs', startWorld);
