/** The paths that the service serves itself while Vite serves the pages. */
export const SERVICE_PATHS =
  '^/(v1|auth|log|docs|docs\\.md|objects|mail|mcp|dev|healthz|readyz|metrics|openapi\\.json|llms\\.txt|(@[^/]+/)?\\.well-known)(?=[/?]|$)';
