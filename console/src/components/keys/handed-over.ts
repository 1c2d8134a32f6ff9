/**
 * `createHandover` keeps the thing that a page has created for the list that is shown next: in
 * memory alone, never in the history.
 */
export function createHandover<Thing>() {
  let thing: Thing | undefined;
  return {
    give: (next: Thing): void => {
      thing = next;
    },
    get: (): Thing | undefined => thing,
    forget: (): void => {
      thing = undefined;
    },
  };
}
