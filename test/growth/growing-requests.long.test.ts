import { REQUESTS } from './cases/requests.ts';
import { declareGrowthTests } from './stay-within.ts';

declareGrowthTests(REQUESTS);
