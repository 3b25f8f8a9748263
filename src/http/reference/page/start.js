/* global SwaggerUIBundle */
const answer = await fetch('/openapi.json');
const spec = await answer.json();
// Requests go to where this page is from, whatever name the visitor knows it by.
spec.servers = [{ url: location.origin }];

/** The field for the key shows it to nobody, and no browser keeps what was typed into it. */
const hideKey = (_system) => ({
  wrapComponents: {
    Input: (Input, system) => (properties) =>
      system.React.createElement(Input, {
        ...properties,
        ...(properties.id === 'auth-bearer-value' && { type: 'password', autoComplete: 'off' }),
      }),
  },
});

SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  plugins: [hideKey],
});
