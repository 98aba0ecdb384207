import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { auth, type WaybillError } from './client.ts';

export function useAuth<Body = void, Response = unknown>(path: string): UseMutationResult<Response, WaybillError, Body> {
  return useMutation<Response, WaybillError, Body>({ mutationFn: (body) => auth<Response>('POST', path, body) });
}

export function useSignOut(next?: string): { signOut(): void; isBusy: boolean; error: WaybillError | null } {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation<unknown, WaybillError>({
    mutationFn: () => auth('POST', 'sign-out'),
    onSuccess: async () => {
      // The next person must not see the data of this one.
      queries.clear();
      await navigate({ to: '/sign-in', search: { next } });
    },
  });
  return { signOut: () => mutate(), isBusy: isPending, error };
}
