/**
 * The operator's payment page if it is an http(s) URL; another scheme, such as `javascript:`, would
 * execute code.
 */
export function composePaymentLink(link: string | undefined): string | undefined {
  if (link === undefined || !URL.canParse(link)) return undefined;
  const { protocol, href } = new URL(link);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}
