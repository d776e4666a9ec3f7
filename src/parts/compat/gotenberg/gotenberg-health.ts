import type { RequestHandler } from 'express';
import { describeHealth, type HealthSource } from '../../../core/http/routes/health-route.ts';
import type { Route } from '../../../core/http/routes/route.ts';
import type { CompatState } from '../send-later.ts';

/** Answers in place of the core's route, with its members and those that Gotenberg's clients read. */
export const GOTENBERG_HEALTH: Route<CompatState> = {
  path: '/health',
  alsoAt: '/health/',
  methods: ['GET', 'HEAD'],
  name: 'health',
  callers: 'anyone',
  isOn: ({ config: { compat } }) => compat.includes('gotenberg'),
  createHandler: ({ health }) => answerHealth(health),
};

function answerHealth(health: HealthSource): RequestHandler {
  return async (_request, response) => {
    const { isHealthy, state } = await describeHealth(health);
    const status = isHealthy ? 'up' : 'down';
    const { timestamp } = state;
    response.status(isHealthy ? 200 : 503).json({ ...state, status, details: { chromium: { status, timestamp } } });
  };
}
