import { useState } from "react";

/** `ModelOrder` is how the list of models is shown: a table for each provider, or one of all. */
export type ModelOrder = "groups" | "flat";

const storageKey = "models_shown";

/** The order that was chosen last in this browser; by provider before that. */
export function useModelOrder(): [ModelOrder, (order: ModelOrder) => void] {
  const [order, setOrder] = useState(readStored);
  const choose = (next: ModelOrder) => {
    setOrder(next);
    try {
      localStorage.setItem(storageKey, next);
    } catch {}
  };
  return [order, choose];
}

function readStored(): ModelOrder {
  try {
    return localStorage.getItem(storageKey) === "flat" ? "flat" : "groups";
  } catch {
    return "groups";
  }
}
