import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ApiError, auth } from './client.ts';

/** Something that is done below /auth, by its path there. */
export function useAuth<Body = void, Answer = unknown>(path: string): UseMutationResult<Answer, ApiError, Body> {
  return useMutation<Answer, ApiError, Body>({ mutationFn: (body) => auth<Answer>('POST', path, body) });
}

/** Ends the session and leads to the sign-in page, from which next is where one goes on. */
export function useSignOut(next?: string): { signOut(): void; isBusy: boolean; error: ApiError | null } {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation<unknown, ApiError>({
    mutationFn: () => auth('POST', 'sign-out'),
    onSuccess: async () => {
      // Nothing that was read by one person is shown to the next.
      queries.clear();
      await navigate({ to: '/sign-in', search: { next } });
    },
  });
  return { signOut: () => mutate(), isBusy: isPending, error };
}
