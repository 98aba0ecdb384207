import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class VerifyWebhook {
  private static final Pattern FORM = Pattern.compile("t=([0-9]{1,18})((?:,v1=[0-9a-f]{64})+)");

  /** The whole secret (whsec_…), the header Waybill-Signature, the body's bytes as they came. */
  static boolean isGenuine(String secret, String signature, byte[] body)
      throws GeneralSecurityException {
    var parts = FORM.matcher(signature == null ? "" : signature);
    if (!parts.matches()) return false;
    long age = System.currentTimeMillis() / 1000 - Long.parseLong(parts.group(1));
    if (Math.abs(age) > 300) return false;
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(), "HmacSHA256"));
    mac.update((parts.group(1) + ".").getBytes());
    var expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes();
    var given = Pattern.compile(",v1=").splitAsStream(parts.group(2));
    return given.anyMatch(v1 -> MessageDigest.isEqual(expected, v1.getBytes()));
  }
}
