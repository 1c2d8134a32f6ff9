/** Red means that one must act: a call that failed now and then is not the reader's concern. */

const noticedFrom = 0.03;
/** From here on the usual alert about failing calls begins. */
const actedOnFrom = 0.2;

/** `chooseFailureTone` is the colour of a share of failed calls, by its class. */
export function chooseFailureTone(failures: number, requests: number): string {
  const share = failures / requests;
  return share >= actedOnFrom ? "text-bad" : share >= noticedFrom ? "text-warn" : "";
}
