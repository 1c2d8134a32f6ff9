import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";

/** Messages for calls without a usable response. */
export const formatTimeoutMessage = (seconds: number): string =>
  t`The gateway did not answer within ${seconds} seconds.`;
export const formatUnreachableMessage = (): string => t`The gateway cannot be reached.`;
export const formatUnreadableMessage = (status: number): string =>
  t`The server sent an answer that cannot be read (status ${status}).`;
export const formatUnexpectedDataMessage = (): string =>
  t`The server's answer lacks the data for this part.`;

/**
 * The server's message is English. The words of refusals, which the caller has loaded, replace it
 * by its code.
 */
export function formatRefusalMessage(code: string | undefined, message: string): string {
  const id = `refusal.${code}`;
  const translated = i18n._(id);
  return translated === id ? message : translated;
}
