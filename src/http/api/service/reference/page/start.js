/* global SwaggerUIBundle */
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const answer = await fetch('/openapi.json');
const spec = await answer.json();
// Without servers, requests go to the host that served this page.
delete spec.servers;

/** Swagger UI's component with other properties. */
const withProperties = (change) => (Component, system) => (properties) =>
  system.React.createElement(Component, { ...properties, ...change(properties) });

/** The field for the key is a password field that browsers don't store. */
const hideKey = () => ({
  wrapComponents: {
    Input: withProperties(({ id }) => id === 'auth-bearer-value' && { type: 'password', autoComplete: 'off' }),
  },
});

/** Each content type has a body of its own. Swagger UI would send what is left of the one before, or nothing. */
const resetBody = () => ({
  wrapComponents: {
    // Another key makes the fields anew, which is when they are filled in.
    RequestBody: withProperties(({ contentType }) => ({ key: contentType })),
  },
  statePlugins: {
    oas3: {
      wrapActions: {
        setRequestContentType: (set, system) => (change) => {
          set(change);
          system.oas3Actions.setRequestBodyValue({ value: undefined, pathMethod: change.pathMethod });
        },
      },
    },
  },
});

/** Names, landmarks and headings for assistive technology, and no links in buttons. */
const makeAccessible = () => ({
  wrapComponents: {
    Input: withProperties(({ type }) => type === 'file' && { 'aria-label': 'File' }),
    TextArea: withProperties(() => ({ 'aria-label': 'Request body' })),
    DeepLink: withProperties(() => ({ enabled: false })),
    InfoContainer:
      (Info, { React }) =>
      (properties) =>
        React.createElement('div', { role: 'region', 'aria-label': 'About' }, React.createElement(Info, properties)),
    operations:
      (Operations, { React }) =>
      (properties) =>
        React.createElement(
          React.Fragment,
          null,
          React.createElement('h2', { className: 'endpoints' }, 'Endpoints'),
          React.createElement(Operations, properties),
        ),
  },
});

/**
 * A list of its own for each tag: from 150 rows on, Swagger UI renders only those that are in view, and the browser's search, printing
 * and assistive technology would miss the others.
 */
const renderAll = () => ({
  wrapComponents: {
    operations:
      (Operations, { React }) =>
      (properties) => {
        const { specSelectors } = properties;
        const tagged = specSelectors.taggedOperations();
        return tagged
          .keySeq()
          .toArray()
          .map((tag) => {
            const ofTag = {
              ...specSelectors,
              taggedOperations: () => tagged.filter((_operations, name) => name === tag),
            };
            return React.createElement(Operations, { ...properties, key: tag, specSelectors: ofTag });
          });
      },
  },
});

/** Empty fields, such as a file that was not chosen, are left out unless the reader says otherwise. */
const leaveOutEmpty = () => ({
  wrapComponents: {
    ParameterIncludeEmpty: withProperties(({ isIncludedOptions }) => ({
      isIncludedOptions: { ...isIncludedOptions, defaultValue: false },
    })),
  },
});

/** Swagger UI adds the scheme to a key, also to one that was copied with it. */
function withOneScheme(request) {
  const { Authorization: value } = request.headers ?? {};
  if (value !== undefined) request.headers.Authorization = value.replace(/^(?:Bearer\s+)+/i, 'Bearer ').trim();
  return request;
}

SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  // The standard theme has numbers with too little contrast.
  syntaxHighlight: { theme: 'tomorrow-night' },
  requestInterceptor: withOneScheme,
  plugins: [hideKey, renderAll, makeAccessible, resetBody, leaveOutEmpty],
});
