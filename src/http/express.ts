import express, { type Express } from 'express';

/** Creates an Express app with the settings that all our apps share. */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser'); // our own query parser is strict: see `request-context.ts`
  app.enable('strict routing');
  app.enable('case sensitive routing');
  return app;
}
