const HEAD =
  '# Copy this file to .env and uncomment the settings that you change. A blank value means unset. Environment variables override this file.';

/** Renders .env.example: every setting, commented out, with its meaning and default. */
export function renderEnvExample(settings) {
  const blocks = settings.map(({ name, meaning, defaultText, defaultIsProse }) => {
    const prose = defaultIsProse && defaultText !== 'unset' ? ` Default: ${defaultText}.` : '';
    return `# ${meaning}.${prose}\n# ${name}=${defaultIsProse ? '' : defaultText}`;
  });
  return `${[HEAD, ...blocks].join('\n\n')}\n`;
}
