import { PAGES } from './cases/pages.ts';
import { declareGrowthTests } from './stay-within.ts';

declareGrowthTests(PAGES);
