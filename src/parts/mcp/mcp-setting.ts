import { toggle } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of the Model Context Protocol. */
export const MCP_SETTINGS = {
  mcp: setting('MCP', {
    ...toggle(),
    default: 'false',
    meaning: 'Serves tools for agents at /mcp (Model Context Protocol)',
  }),
};

export type McpSettings = ConfigOf<typeof MCP_SETTINGS>;
