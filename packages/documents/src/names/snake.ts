/** `orderNumber`, `Order-Number` and `cbc:OrderNumber` are `order_number`. */
export function snake(key: string): string {
  return key
    .slice(0, 64)
    .replace(/^[a-z]+:/, '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase();
}
