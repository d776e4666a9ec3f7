import { COMPARISONS } from './cases/comparisons.ts';
import { SERVICES } from './cases/services.ts';
import { declareGrowthTests } from './stay-within.ts';

declareGrowthTests([...COMPARISONS, ...SERVICES]);
