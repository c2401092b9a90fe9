// Java's com.sun.net.httpserver and Jackson, with the signature verified by hand.
import com.fasterxml.jackson.databind.*;
import com.sun.net.httpserver.*;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Receiver {
  static final byte[] KEY = Base64.getDecoder().decode(System.getenv("WEBHOOK_SECRET").substring(6));
  static final ObjectMapper JSON = new ObjectMapper();
  static final Map<String, Map<String, Object>> handled = new LinkedHashMap<>();
  static int failNext = 0;

  static boolean isGenuine(Headers headers, byte[] body) throws Exception {
    String id = headers.getFirst("webhook-id"), timestamp = headers.getFirst("webhook-timestamp");
    String signatures = headers.getFirst("webhook-signature");
    if (id == null || signatures == null || timestamp == null || !timestamp.matches("[0-9]{1,12}")) return false;
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes("UTF-8"));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
    return Arrays.stream(signatures.split(" ")).anyMatch(one -> MessageDigest.isEqual(one.getBytes(), expected));
  }

  static synchronized void handleOnce(String id, String type) {
    if (handled.containsKey(id)) return;
    if (failNext > 0) { failNext--; throw new IllegalStateException("told to fail"); }
    handled.put(id, Map.of("eventId", id, "type", type, "count", 1));
  }

  static void webhooks(HttpExchange exchange) throws java.io.IOException {
    int status = 401;
    try {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (exchange.getRequestMethod().equals("POST") && isGenuine(exchange.getRequestHeaders(), body)) {
        JsonNode event = JSON.readTree(body);
        handleOnce(event.required("id").textValue(), event.required("type").textValue());
        status = 204;
      }
    } catch (Exception error) { status = 500; }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  static synchronized void effects(HttpExchange exchange) throws java.io.IOException {
    if (exchange.getRequestMethod().equals("PUT")) failNext = JSON.readTree(exchange.getRequestBody()).get("failNext").intValue();
    byte[] told = JSON.writeValueAsBytes(handled.values());
    exchange.sendResponseHeaders(200, told.length);
    exchange.getResponseBody().write(told);
    exchange.close();
  }

  public static void main(String[] arguments) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/webhooks", Receiver::webhooks);
    server.createContext("/effects", Receiver::effects);
    server.start();
  }
}
