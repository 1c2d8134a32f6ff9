// Every way to bring a key to the relay.
export const keyHeaders: readonly (readonly [
  name: string,
  headers: (key: string) => Record<string, string>,
])[] = [
  ["Authorization: Bearer", (key) => ({ authorization: `Bearer ${key}` })],
  ["Authorization alone", (key) => ({ authorization: key })],
  ["x-api-key", (key) => ({ "x-api-key": key })],
  ["api-key", (key) => ({ "api-key": key })],
  ["x-goog-api-key", (key) => ({ "x-goog-api-key": key })],
  ["x-litellm-api-key", (key) => ({ "x-litellm-api-key": key })],
  ["Ocp-Apim-Subscription-Key", (key) => ({ "ocp-apim-subscription-key": key })],
];
