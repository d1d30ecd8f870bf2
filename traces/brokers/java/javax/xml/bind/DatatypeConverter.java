package javax.xml.bind;

import java.util.Base64;

/**
 * What Kafka 0.10 and 0.11 use of a class that Java had until version 10: text for the cluster's id.
 * It is put on the class path of those releases only.
 */
public final class DatatypeConverter {
    public static String printBase64Binary(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    public static byte[] parseBase64Binary(String text) {
        return Base64.getDecoder().decode(text);
    }
}
