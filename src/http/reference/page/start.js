/* global SwaggerUIBundle */
const answer = await fetch('/openapi.json');
const spec = await answer.json();
// Requests go to where this page is from, whatever name the visitor knows it by.
spec.servers = [{ url: location.origin }];

SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
});
