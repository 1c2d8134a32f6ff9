import { QueryClientProvider } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { queryClient } from "../api-queries.ts";
import { ToastRegion } from "../ui/toast.tsx";

/** Server data for the pages within, and what floats above them. */
export function LiveArea() {
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet />
      <ToastRegion />
    </QueryClientProvider>
  );
}
