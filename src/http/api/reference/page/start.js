/* global SwaggerUIBundle */
const answer = await fetch('/openapi.json');
const spec = await answer.json();
// Requests go to the host that served this page.
spec.servers = [{ url: location.origin }];

/** The field for the key is a password field that browsers don't store. */
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
