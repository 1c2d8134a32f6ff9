/** Where quota is sold, if the operator named a page on the web: anything else would be run, not opened. */
export function paymentLink(link: string | undefined): string | undefined {
  if (link === undefined || !URL.canParse(link)) return undefined;
  const { protocol, href } = new URL(link);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}
