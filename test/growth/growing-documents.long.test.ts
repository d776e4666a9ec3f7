import { DOCUMENTS } from './cases/documents.ts';
import { declareGrowthTests } from './stay-within.ts';

declareGrowthTests(DOCUMENTS);
