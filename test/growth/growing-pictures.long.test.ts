import { PICTURES } from './cases/pictures.ts';
import { declareGrowthTests } from './stay-within.ts';

declareGrowthTests(PICTURES);
