/** An invalid value; the message names the variable. */
export class ConfigError extends Error {}
