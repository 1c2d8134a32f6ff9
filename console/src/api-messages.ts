import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";

/** Messages for calls without a usable response. */
export const timeoutMessage = (seconds: number): string => t`The gateway did not answer within ${seconds} seconds.`;
export const unreachableMessage = (): string => t`The gateway cannot be reached.`;
export const unreadableMessage = (status: number): string =>
  t`The server sent an answer that cannot be read (status ${status}).`;
export const unexpectedDataMessage = (): string => t`The server answered without the data that belongs here.`;

/** The server's message is English. The words of refusals, which the caller has loaded, replace it by its code. */
export function refusalMessage(code: string | undefined, message: string): string {
  const id = `refusal.${code}`;
  const translated = i18n._(id);
  return translated === id ? message : translated;
}
