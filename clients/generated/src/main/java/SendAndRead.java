import java.util.Map;
import java.util.UUID;
import waybill.ApiClient;
import waybill.api.InboxApi;
import waybill.api.MessagesApi;
import waybill.model.Draft;

/** Sends a message with the generated client, and reads it in the recipient's inbox: SendAndRead <url> <sender's key> <recipient's key> */
final class SendAndRead {
  public static void main(String[] args) throws Exception {
    var type = "test." + UUID.randomUUID();
    var order = new Draft().to("globex").type(type).subject("Order 4711").json(Map.of("quantity", 3));
    var sent = new MessagesApi(client(args[0], args[1])).postMessages(order, UUID.randomUUID().toString(), null);
    System.out.println(sent);
  }

  private static ApiClient client(String url, String key) {
    var client = new ApiClient();
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }
}
