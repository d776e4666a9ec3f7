const HEAD =
  '# Copy to .env and uncomment what you change. A blank value means unset. Variables of the process win over this file.';

/** The text of .env.example: every setting, commented out, with what it means and its default. */
export function renderEnvExample(settings) {
  const blocks = settings.map(({ name, meaning, defaultText, defaultIsProse }) => {
    const prose = defaultIsProse && defaultText !== 'unset' ? ` Default: ${defaultText}.` : '';
    return `# ${meaning}.${prose}\n# ${name}=${defaultIsProse ? '' : defaultText}`;
  });
  return `${[HEAD, ...blocks].join('\n\n')}\n`;
}
