import { loadConfig as load } from '../../src/core/config/load.ts';
import { allSettings } from '../../src/core/config/settings.ts';
import { PART_SETTINGS } from '../../src/part-settings.ts';

/** All settings of the service. */
export const SETTINGS = allSettings(PART_SETTINGS);

export type ServiceConfig = ReturnType<typeof loadConfig>;

/** Parses the settings of the whole service. */
export const loadConfig = (environment: Parameters<typeof load>[0], surroundings?: Parameters<typeof load>[2]) =>
  load(environment, PART_SETTINGS, surroundings);
