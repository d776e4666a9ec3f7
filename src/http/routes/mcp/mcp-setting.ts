import { toggle } from '../../../config/parsers.ts';
import { type ConfigOf, setting } from '../../../config/setting.ts';

/** Settings of the Model Context Protocol. */
export const MCP_SETTINGS = {
  mcp: setting('MCP', {
    ...toggle(),
    default: 'false',
    meaning: 'Serves tools for agents at /mcp (Model Context Protocol)',
  }),
};

export type McpSettings = ConfigOf<typeof MCP_SETTINGS>;
