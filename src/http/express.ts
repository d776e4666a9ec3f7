import express, { type Express } from 'express';

/** An Express app with what every app of ours has switched off. */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser'); // ours is strict: `request-context.ts`
  app.enable('strict routing');
  app.enable('case sensitive routing');
  return app;
}
